/** Reading typed parameters from a JSON object, with errors that name the field. */

const MAXIMUM = 2 ** 32 - 1;

const HASH_FUNCTIONS = ["sha256", "sha512"];

/** What is wrong, for people. */
export class Invalid extends Error {}

/** The strings and numbers of a text that is JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g;

/**
 * Reads JSON with every number as it is written, since JavaScript takes 1e3 and
 * 1000.0 for whole numbers: strings, also names, come back with "s" in front of
 * them, and numbers as strings with "n" in front of them.
 */
function parseAsWritten(text) {
  JSON.parse(text);
  return JSON.parse(
    text.replace(TOKEN, (token) => (token[0] === '"' ? `"s${token.slice(1)}` : `"n${token}"`)),
  );
}

function fieldsOf(text) {
  try {
    return parseAsWritten(text);
  } catch {
    return null;
  }
}

/** The parameters of a JSON object, of the configuration or of metadata. */
export class Parameters {
  #fields;

  constructor(text) {
    const fields = fieldsOf(text);
    if (fields === null || typeof fields !== "object" || Array.isArray(fields)) {
      throw new Invalid("not a JSON object");
    }
    this.#fields = fields;
  }

  /** A whole number from 1 to 2^32 - 1. */
  positive(name) {
    const value = this.#value(name);
    const whole = typeof value === "string" && /^n[1-9][0-9]{0,9}$/.test(value);
    const number = whole ? Number(value.slice(1)) : 0;
    if (number < 1 || number > MAXIMUM) {
      throw new Invalid(`${name} is not a whole number from 1 to ${MAXIMUM}`);
    }
    return number;
  }

  /** A text that is not empty. */
  text(name) {
    const value = this.#value(name);
    if (typeof value !== "string" || value[0] !== "s" || value === "s") {
      throw new Invalid(`${name} is not a text, or empty`);
    }
    return value.slice(1);
  }

  /** The hash function, spelled exactly as OpenTofu spells it. */
  hashFunction() {
    const name = this.text("hash_function");
    if (!HASH_FUNCTIONS.includes(name)) {
      throw new Invalid("hash_function is neither sha256 nor sha512");
    }
    return name;
  }

  #value(name) {
    const value = this.#fields[`s${name}`] ?? null;
    if (value === null) {
      throw new Invalid(`${name} is missing`);
    }
    return value;
  }
}
