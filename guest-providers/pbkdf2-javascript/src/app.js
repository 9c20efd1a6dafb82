/**
 * The `pbkdf2` key provider: a key derived from a passphrase, or from another
 * provider's key, with PBKDF2 (RFC 8018). It mirrors OpenTofu's provider of that
 * name: the same rules, defaults and metadata.
 */

import { descriptor } from "./descriptor.js";
import { Invalid } from "./parameters.js";
import { Provider } from "./provider.js";
import { settingsOf } from "./settings.js";

/** The contract's interface `key-provider`. */
export const keyProvider = {
  Provider,

  describe: () => descriptor,

  build(config) {
    try {
      return new Provider(settingsOf(config));
    } catch (error) {
      throw error instanceof Invalid ? { tag: "invalid-configuration", val: error.message } : error;
    }
  },
};
