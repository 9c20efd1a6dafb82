/** Reading typed parameters from a JSON object, with errors that name the field. */

const MAXIMUM = 2 ** 32 - 1;

const HASH_FUNCTIONS = ["sha256", "sha512"];

/** What is wrong, for people. */
export class Invalid extends Error {}

/** A number as it is written: JavaScript reads 1e3 and 1000.0 as whole numbers, too. */
class Written {
  constructor(text) {
    this.text = text;
  }
}

function fieldsOf(text) {
  const written = (_, value, { source }) => (typeof value === "number" ? new Written(source) : value);
  try {
    return JSON.parse(text, written);
  } catch {
    return null;
  }
}

/** The parameters of a JSON object, of the configuration or of metadata. */
export class Parameters {
  #fields;

  constructor(text) {
    const fields = fieldsOf(text);
    if (fields === null || typeof fields !== "object" || Array.isArray(fields) || fields instanceof Written) {
      throw new Invalid("not a JSON object");
    }
    this.#fields = fields;
  }

  /** A whole number from 1 to 2^32 - 1. */
  positive(name) {
    const value = this.#value(name);
    const whole = value instanceof Written && /^[1-9][0-9]{0,9}$/.test(value.text);
    const number = whole ? Number(value.text) : 0;
    if (number < 1 || number > MAXIMUM) {
      throw new Invalid(`${name} is not a whole number from 1 to ${MAXIMUM}`);
    }
    return number;
  }

  /** A text that is not empty. */
  text(name) {
    const value = this.#value(name);
    if (typeof value !== "string" || value === "") {
      throw new Invalid(`${name} is not a text, or empty`);
    }
    return value;
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
    const value = Object.hasOwn(this.#fields, name) ? this.#fields[name] : null;
    if (value === null) {
      throw new Invalid(`${name} is missing`);
    }
    return value;
  }
}
