const attribute = (name, kind, description, rest = {}) => ({
  name,
  kind,
  required: false,
  sensitive: false,
  default: null,
  description,
  ...rest,
});

export const descriptor = {
  id: "pbkdf2",
  version: "0.1.0",
  attributes: [
    attribute("passphrase", "string", "The passphrase, at least 16 bytes; either this or chain.", {
      sensitive: true,
    }),
    attribute("chain", "key", "A key provider whose key takes the passphrase's place."),
    attribute("iterations", "number", "How often the hash function is applied, at least 200000.", {
      default: "600000",
    }),
    attribute("key_length", "number", "The length of the key in bytes.", { default: "32" }),
    attribute("salt_length", "number", "The length of the random salt in bytes.", {
      default: "32",
    }),
    attribute("hash_function", "string", "sha256 or sha512.", { default: '"sha512"' }),
  ],
};
