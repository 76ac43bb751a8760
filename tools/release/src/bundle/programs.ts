export type Program = {
  name: string;
  main: string;
  /**
   * If true, the bundle is split into files that are loaded on demand, because most commands need
   * few modules.
   */
  isSplit: boolean;
  /** If true, the program serves the console, whose files the bundle contains. */
  hasConsole: boolean;
};

/** The services in the order in which they are started and upgraded: callees before callers. */
export const SERVICES: readonly string[] = [
  'ledger',
  'llm-gateway',
  'notifier',
  'agents',
  'simulation',
  'api-gateway',
];

export const PROGRAMS: readonly Program[] = [
  ...SERVICES.map((name) => ({
    name,
    main: `apps/${name}/src/main.ts`,
    isSplit: false,
    hasConsole: name === 'api-gateway',
  })),
  { name: 'witan', main: 'tools/witan/src/main.ts', isSplit: true, hasConsole: true },
];

export const selectPrograms = (names: readonly string[]): readonly Program[] => {
  const unknown = names.filter((name) => !PROGRAMS.some((one) => one.name === name));
  if (unknown.length > 0) {
    const known = PROGRAMS.map(({ name }) => name).join(', ');
    throw new Error(`There is no ${unknown.join(', ')}; there are ${known}.`);
  }
  return PROGRAMS.filter(({ name }) => names.length === 0 || names.includes(name));
};
