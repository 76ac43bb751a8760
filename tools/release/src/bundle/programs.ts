/** What is made into a bundle: a service, or the command line that runs all of them. */
export type Program = {
  name: string;
  /** Its start file, from the root of the repository. */
  main: string;
  /** In files that are loaded when they are needed: most commands need few of them. */
  isSplit: boolean;
};

const SERVICES = ['ledger', 'llm-gateway', 'notifier', 'agents', 'simulation', 'api-gateway'];

/** Every program that has an image. */
export const PROGRAMS: readonly Program[] = [
  ...SERVICES.map((name) => ({ name, main: `apps/${name}/src/main.ts`, isSplit: false })),
  { name: 'witan', main: 'tools/witan/src/main.ts', isSplit: true },
];

/** Those of these names, or all of them. Throws for a name that is none. */
export const selectPrograms = (names: readonly string[]): readonly Program[] => {
  const unknown = names.filter((name) => !PROGRAMS.some((one) => one.name === name));
  if (unknown.length > 0) {
    const known = PROGRAMS.map(({ name }) => name).join(', ');
    throw new Error(`There is no ${unknown.join(', ')}; there are ${known}.`);
  }
  return PROGRAMS.filter(({ name }) => names.length === 0 || names.includes(name));
};
