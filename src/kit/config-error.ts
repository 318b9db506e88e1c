/** A setting that can not be used; its message is the one line the start prints. */
export class ConfigError extends Error {}
