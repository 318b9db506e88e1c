/**
 * Something that only the person who runs Pirogue can put right: a setting, a folder, a right. Its message says what to do. It is printed as
 * one line, without a stack.
 */
export class ConfigError extends Error {}
