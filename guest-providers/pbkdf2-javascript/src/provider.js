import { pbkdf2, randomBytes } from "keyhost:plugin/crypto@0.1.0";

import * as metadata from "./metadata.js";
import { Invalid } from "./parameters.js";

/**
 * Derives the key of new data with a fresh salt, and the key of old data with
 * the parameters that its metadata names.
 */
export class Provider {
  #settings;

  constructor(settings) {
    this.#settings = settings;
  }

  keepsMetadata() {
    return true;
  }

  provide(text) {
    const stored = text === null ? null : storedMetadata(text);
    const { saltLength, iterations, hash, keyLength } = this.#settings;
    const fresh = { salt: random(saltLength), iterations, hash, keyLength };
    const [encryptionKey, decryptionKey = null] = this.#derive(fresh, stored);
    return [{ encryptionKey, decryptionKey }, metadata.toJson(fresh)];
  }

  /** Derives in one call, so that the host does it side by side. */
  #derive(fresh, stored) {
    const { encryptionPassword, decryptionPassword } = this.#settings;
    const jobs = [job(encryptionPassword, fresh)];
    if (stored) {
      if (!decryptionPassword) {
        throw failure("chain supplies no decryption key");
      }
      jobs.push(job(decryptionPassword, stored));
    }
    return asked(() => pbkdf2(jobs));
  }
}

function job(password, { salt, iterations, hash, keyLength }) {
  return { password, salt, iterations: u32(iterations), keyLength: u32(keyLength), hash };
}

/** componentize-qjs takes 2^31 and more for 2^31 - 1, but all bits of a negative number. */
function u32(number) {
  return number | 0;
}

function storedMetadata(text) {
  try {
    return metadata.parse(text);
  } catch (error) {
    throw error instanceof Invalid ? { tag: "invalid-metadata", val: error.message } : error;
  }
}

function random(length) {
  return new Uint8Array(asked(() => randomBytes(u32(length))));
}

/** What the host answers; its refusal becomes this provider's. */
function asked(call) {
  try {
    return call();
  } catch (error) {
    throw typeof error?.tag === "string" ? failure(error.val ?? "authentication failed") : error;
  }
}

function failure(text) {
  return { tag: "key-provider-failure", val: text };
}
