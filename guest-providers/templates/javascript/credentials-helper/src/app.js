/**
 * The `{{name}}` credentials helper: read-only, with the tokens that stand in
 * keyhost's configuration.
 */

import { fromToken } from "keyhost:plugin/credentials@0.1.0";

/** keyhost asks for hosts in lower case, such as example.com or example.com:8443. */
const HOST = /^[a-z0-9.:-]+$/;

/** A configured helper. It lives for one call. */
class Helper {
  #tokens;

  constructor(tokens) {
    // A variable that is not set leaves an empty text.
    this.#tokens = new Map(tokens.filter(([, token]) => token.length() > 0));
  }

  get(host) {
    const token = this.#tokens.get(host);
    if (!token) {
      return null;
    }
    try {
      return fromToken(token);
    } catch (refused) {
      throw { tag: "failure", val: refused.val };
    }
  }

  store() {
    throw readOnly();
  }

  forget() {
    throw readOnly();
  }

  hosts() {
    return [...this.#tokens.keys()];
  }
}

function readOnly() {
  return {
    tag: "unsupported",
    val: "the tokens of this helper stand in keyhost's configuration: change them there",
  };
}

/** The contract's interface `credentials-helper`. */
export const credentialsHelper = {
  Helper,

  describe: () => ({
    id: "{{name}}",
    version: "0.1.0",
    attributes: [
      {
        name: "tokens",
        kind: "map-of-string",
        required: true,
        sensitive: true,
        default: null,
        description: 'The token of each host, such as { "example.com" = var.token }.',
      },
    ],
  }),

  build(config) {
    // The values of a sensitive map are named `ATTRIBUTE.KEY`.
    const tokens = config.secrets.map(([name, token]) => [name.slice("tokens.".length), token]);
    if (!tokens.every(([host]) => HOST.test(host))) {
      throw {
        tag: "invalid-configuration",
        val: "tokens has a name that is no host in lower case, such as example.com",
      };
    }
    return new Helper(tokens);
  },
};
