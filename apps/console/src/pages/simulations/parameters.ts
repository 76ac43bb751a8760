/** Parameters of the world that the form offers as numbers, with their units. */
export const WORLD_FIELDS = [
  { name: 'gdpGrowth', label: 'GDP growth', unit: '% a year' },
  { name: 'sectorGrowth', label: 'Sector growth', unit: '% a year' },
  { name: 'inflationRate', label: 'Inflation', unit: '% a year' },
  { name: 'interestRate', label: 'Interest rate', unit: '% a year' },
  { name: 'unemployment', label: 'Unemployment', unit: '%' },
  { name: 'wageGrowth', label: 'Wage growth', unit: '% a year' },
  { name: 'competitorIntensity', label: 'Competition', unit: '1 is as usual' },
  { name: 'taxRate', label: 'Tax rate', unit: '%' },
] as const;

export type WorldField = (typeof WORLD_FIELDS)[number]['name'];
export type WorldValues = Partial<Record<WorldField, number>>;
export type ParameterDraft = { values: WorldValues; json: string };

/** Returns the parameters of a form: its numbers, then the members of its JSON. Throws Error. */
export const toParameters = ({ values, json }: ParameterDraft): Record<string, unknown> => {
  if (json.trim() === '') return { ...values };
  const parsed = parseObject(json);
  const repeated = Object.keys(values).filter((name) => Object.hasOwn(parsed, name));
  if (repeated.length > 0) throw new Error(`Given twice: ${repeated.join(', ')}.`);
  return { ...values, ...parsed };
};

const parseObject = (json: string): Record<string, unknown> => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (cause) {
    throw new Error('Further parameters are no valid JSON.', { cause });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Error('Further parameters must be a JSON object, such as {"gdpGrowth": -2}.');
  return parsed as Record<string, unknown>;
};

/** Returns the form of existing parameters: numbers as fields, everything else as JSON. */
export const toParameterDraft = (parameters: object): ParameterDraft => {
  const fields = new Set<string>(WORLD_FIELDS.map(({ name }) => name));
  const isField = ([name, value]: [string, unknown]): boolean =>
    fields.has(name) && typeof value === 'number';
  const entries = Object.entries(parameters);
  const others = entries.filter((entry) => !isField(entry));
  return {
    values: Object.fromEntries(entries.filter(isField)),
    json: others.length === 0 ? '' : JSON.stringify(Object.fromEntries(others), undefined, 2),
  };
};

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });

/** Returns each parameter as a name and a text, with units where they are known. */
export const describeParameters = (parameters: object): { name: string; text: string }[] =>
  Object.entries(parameters).map(([name, value]: [string, unknown]) => {
    const field = WORLD_FIELDS.find((one) => one.name === name);
    const text =
      typeof value === 'number'
        ? `${number.format(value)}${field?.unit.startsWith('%') ? ` ${field.unit}` : ''}`
        : typeof value === 'string'
          ? value
          : JSON.stringify(value);
    return { name: field?.label ?? name, text };
  });
