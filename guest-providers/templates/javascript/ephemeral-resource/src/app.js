/**
 * The `{{name}}` ephemeral resource: a random password, made when it is needed and
 * kept nowhere.
 */

import { encode, randomSecret } from "keyhost:plugin/crypto@0.1.0";

// In bytes.
const MINIMUM_LENGTH = 16;
const MAXIMUM_LENGTH = 1024;

/** A configured resource. It lives for one call. */
class Ephemeral {
  #length;

  constructor(length) {
    this.#length = length;
  }

  open() {
    // Nothing to remember and nothing to renew: the password has no end.
    const lease = { private: new Uint8Array(), renewAt: null };
    return { values: "{}", secrets: [["password", this.#password()]], lease };
  }

  renew() {
    throw { tag: "failure", val: "a password has no end, and is never renewed" };
  }

  /** Nothing is kept, and so nothing is left to end. */
  close() {}

  #password() {
    try {
      return encode(randomSecret(this.#length), "base64-url");
    } catch (refused) {
      throw { tag: "failure", val: refused.val ?? "authentication failed" };
    }
  }
}

/** The contract's interface `ephemeral-resource`. */
export const ephemeralResource = {
  Ephemeral,

  describe: () => ({
    descriptor: {
      id: "{{name}}",
      version: "0.1.0",
      attributes: [
        {
          name: "length",
          kind: "number",
          required: false,
          sensitive: false,
          default: "24",
          description: "How many random bytes the password spells.",
        },
      ],
    },
    outputs: [
      {
        name: "password",
        kind: "string",
        sensitive: true,
        description: "The password: random bytes in URL-safe base64.",
      },
    ],
  }),

  build(config) {
    const { length } = JSON.parse(config.attributes);
    if (!Number.isInteger(length) || length < MINIMUM_LENGTH || length > MAXIMUM_LENGTH) {
      throw {
        tag: "invalid-configuration",
        val: `length is not a whole number from ${MINIMUM_LENGTH} to ${MAXIMUM_LENGTH}`,
      };
    }
    return new Ephemeral(length);
  },
};
