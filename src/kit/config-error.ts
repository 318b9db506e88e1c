/** Invalid setting. Its message is the one line printed at start-up. */
export class ConfigError extends Error {}
