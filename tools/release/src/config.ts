/** Where programs of this machine are looked for. */
export const readPath = (): string | undefined => process.env.PATH;

/** The environment of git and npm: this process's own, but for what npm told it of itself. */
export const readToolEnv = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
