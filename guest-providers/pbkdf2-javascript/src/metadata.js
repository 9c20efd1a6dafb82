/**
 * The parameters of one derivation, as OpenTofu stores them. Stored metadata
 * rules decryption alone; the host bounds the work that it asks for.
 */

import { Invalid, Parameters } from "./parameters.js";

/** Accepts unknown fields, and of a doubled field the last value, as OpenTofu does. */
export function parse(text) {
  const stored = new Parameters(text);
  return {
    salt: saltOf(stored.text("salt")),
    iterations: stored.positive("iterations"),
    hash: stored.hashFunction(),
    keyLength: stored.positive("key_length"),
  };
}

/** The JSON, with OpenTofu's names and order. */
export function toJson({ salt, iterations, hash, keyLength }) {
  return JSON.stringify({
    salt: salt.toBase64(),
    iterations,
    hash_function: hash,
    key_length: keyLength,
  });
}

function saltOf(text) {
  try {
    const salt = Uint8Array.fromBase64(text, { lastChunkHandling: "strict" });
    // The decoder skips white space: there is one spelling.
    if (salt.toBase64() === text) {
      return salt;
    }
  } catch {
    // Told below.
  }
  throw new Invalid("salt is not standard base64");
}
