import { Invalid, Parameters } from "./parameters.js";

/** OpenTofu refuses fewer when encrypting. */
const MINIMUM_ITERATIONS = 200000;

/** OpenTofu's minimum for a passphrase and for chained keys, in bytes. */
const MINIMUM_PASSPHRASE_LENGTH = 16;

/** A checked configuration: what keys are derived from, and the parameters of new keys. */
export function settingsOf(config) {
  const passwords = passwordsOf(config);
  const attributes = new Parameters(config.attributes);
  const iterations = attributes.positive("iterations");
  if (iterations < MINIMUM_ITERATIONS) {
    throw new Invalid(
      `iterations is ${iterations}, dangerously low: at least ${MINIMUM_ITERATIONS} are needed`,
    );
  }
  return {
    ...passwords,
    iterations,
    keyLength: attributes.positive("key_length"),
    saltLength: attributes.positive("salt_length"),
    hash: attributes.hashFunction(),
  };
}

/** One passphrase for both directions, or another provider's keys. */
function passwordsOf(config) {
  const passphrase = new Map(config.secrets).get("passphrase");
  const chain = new Map(config.keys).get("chain");
  if (passphrase && chain) {
    throw new Invalid("passphrase and chain exclude each other");
  }
  if (passphrase) {
    longEnough("passphrase", passphrase);
    return { encryptionPassword: passphrase, decryptionPassword: passphrase };
  }
  if (!chain) {
    throw new Invalid("either passphrase or chain is needed");
  }
  const { encryptionKey, decryptionKey } = chain;
  longEnough("the encryption key of chain", encryptionKey);
  if (decryptionKey) {
    longEnough("the decryption key of chain", decryptionKey);
  }
  return { encryptionPassword: encryptionKey, decryptionPassword: decryptionKey };
}

function longEnough(what, secret) {
  if (secret.length() < MINIMUM_PASSPHRASE_LENGTH) {
    throw new Invalid(`${what} is too short: at least ${MINIMUM_PASSPHRASE_LENGTH} bytes are needed`);
  }
}
