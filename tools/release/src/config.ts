export const readPath = (): string | undefined => process.env.PATH;

/** Returns the environment for git and npm, without the variables that npm sets for scripts. */
export const readToolEnv = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
