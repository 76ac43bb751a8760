/** What the playground asks: the parts that every dialect can express. */
export type CallRequest = {
  /** An address: a model, `service-*`, `agent:<slug>` or an alias, with its flags. */
  model: string;
  system: string;
  user: string;
  isStreamed: boolean;
  maxTokens: number | undefined;
  temperature: number | undefined;
};

/** Flags of an address, with the scopes of which a key needs one. */
export const FLAGS = [
  {
    name: 'knowledge',
    label: 'Use the documents of the workspace',
    scopes: ['knowledge', 'knowledge:read'],
  },
  { name: 'sensitive', label: 'Stay on this machine', scopes: [] },
] as const;

export type Flag = (typeof FLAGS)[number]['name'];

export const hasFlag = (model: string, flag: Flag): boolean =>
  model.split('+').slice(1).includes(flag);

/** Returns the address with the flag, or without it. */
export const setFlag = (model: string, flag: Flag, isSet: boolean): string => {
  const [name = '', ...flags] = model.split('+');
  const others = flags.filter((one) => one !== flag);
  return [name, ...others, ...(isSet ? [flag] : [])].join('+');
};
