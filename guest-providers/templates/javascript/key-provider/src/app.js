/**
 * The `{{name}}` key provider: a key derived from a secret with HKDF-SHA-256 and a
 * random salt, which the metadata keeps.
 */

import { hkdf, randomBytes } from "keyhost:plugin/crypto@0.1.0";

// In bytes.
const MINIMUM_SECRET_LENGTH = 16;
const SALT_LENGTH = 32;
const KEY_LENGTH = 32;

/** What the key is for, "keyhost": another use of the same secret has another key. */
const INFO = Uint8Array.from("keyhost", (character) => character.charCodeAt(0));

/** A configured key provider. It lives for one call of `provide`. */
class Provider {
  #secret;

  constructor(secret) {
    this.#secret = secret;
  }

  keepsMetadata() {
    return true;
  }

  provide(metadata) {
    const stored = metadata === null ? null : saltOf(metadata);
    const fresh = new Uint8Array(asked(() => randomBytes(SALT_LENGTH)));
    const keys = {
      encryptionKey: this.#key(fresh),
      decryptionKey: stored === null ? null : this.#key(stored),
    };
    return [keys, JSON.stringify({ salt: fresh.toHex() })];
  }

  #key(salt) {
    return asked(() => hkdf(this.#secret, salt, INFO, KEY_LENGTH, "sha256"));
  }
}

/** The salt of metadata, which lies in the clear: anybody may have written it. */
function saltOf(metadata) {
  let salt;
  try {
    ({ salt } = JSON.parse(metadata));
  } catch {
    // Told below.
  }
  // fromHex takes capitals, too: there is one spelling.
  if (typeof salt !== "string" || !/^[0-9a-f]{64}$/.test(salt)) {
    throw { tag: "invalid-metadata", val: "salt is not 64 hexadecimal digits" };
  }
  return Uint8Array.fromHex(salt);
}

/** What the host answers; its refusal becomes this provider's. */
function asked(call) {
  try {
    return call();
  } catch (refused) {
    throw { tag: "key-provider-failure", val: refused.val ?? "authentication failed" };
  }
}

/** The contract's interface `key-provider`. */
export const keyProvider = {
  Provider,

  describe: () => ({
    id: "{{name}}",
    version: "0.1.0",
    attributes: [
      {
        name: "secret",
        kind: "string",
        required: true,
        sensitive: true,
        default: null,
        description: "The secret, at least 16 bytes.",
      },
    ],
  }),

  build(config) {
    const secret = new Map(config.secrets).get("secret");
    if (secret.length() < MINIMUM_SECRET_LENGTH) {
      throw {
        tag: "invalid-configuration",
        val: `secret is too short: at least ${MINIMUM_SECRET_LENGTH} bytes are needed`,
      };
    }
    return new Provider(secret);
  },
};
