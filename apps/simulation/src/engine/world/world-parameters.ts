import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { createInvalidFields } from '../create-invalid-fields.ts';
import type { InvalidFields } from '../create-invalid-fields.ts';
import { EVENT_CODES } from './event-catalogue.ts';
import { REGIMES } from './regime.ts';
import type { RegimeName } from './regime.ts';

export type Figure = {
  readonly mode: 'set' | 'add' | 'scale';
  /** A single value for all turns from `fromTurn` to `toTurn`, or one value for each. */
  readonly values: readonly number[];
  readonly fromTurn: number;
  readonly toTurn: number;
  readonly min: number;
  readonly max: number;
};

/**
 * Allowed range of each figure: in percent, except for the elasticity `priceElasticity` and the
 * factor `competitorIntensity`.
 */
const RANGES = {
  gdpGrowth: [-25, 25],
  inflationRate: [-10, 100],
  interestRate: [0, 100],
  sectorGrowth: [-50, 100],
  unemployment: [0, 40],
  wageGrowth: [-20, 100],
  priceElasticity: [0.1, 6],
  competitorIntensity: [0.25, 4],
  taxRate: [0, 60],
} as const satisfies Record<string, readonly [number, number]>;
export type FigureName = keyof typeof RANGES;

export type WorldParameters = {
  readonly regime: RegimeName;
  /**
   * With `independent` the scenario has its own random numbers; with `common` it has those of the
   * simulation.
   */
  readonly rng: 'common' | 'independent';
  readonly figures: Readonly<Partial<Record<FigureName, Figure>>>;
  readonly hazards: readonly (Figure | null)[];
};

type ReadParameters = {
  readonly parameters: WorldParameters;
  readonly ignored: readonly string[];
};

const HAZARD = 'eventHazard.';
const HAZARD_RANGE = [0, 1] as const;
const SCALE_MAX = 10;
const TURN_MAX = 1_000_000;
const PATH_MAX = 400;

export const readParameters = (parameters: JsonObject): ReadParameters => {
  const figures: Partial<Record<FigureName, Figure>> = {};
  const hazards: (Figure | null)[] = EVENT_CODES.map(() => null);
  const ignored: string[] = [];
  const invalid = createInvalidFields('parameters');
  const readHazard = (name: string, value: JsonValue): void => {
    const index = (EVENT_CODES as readonly string[]).indexOf(name.slice(HAZARD.length));
    if (index === -1) ignored.push(name);
    else hazards[index] = readFigure(name, value, { range: HAZARD_RANGE, invalid }) ?? null;
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (isFigureName(name)) {
      const figure = readFigure(name, value, { range: RANGES[name], invalid });
      if (figure) figures[name] = figure;
    } else if (name === 'regime' || name === 'rng') continue;
    else if (name === 'eventHazard') {
      // `{"eventHazard": {"recession": 0.1}}` is accepted as another form of
      // `{"eventHazard.recession": 0.1}`.
      if (!isObject(value)) invalid.add(name, 'must be an object of event codes');
      else for (const [code, hazard] of Object.entries(value)) readHazard(HAZARD + code, hazard);
    } else if (name.startsWith(HAZARD)) readHazard(name, value);
    else ignored.push(name);
  }
  const regimes = Object.keys(REGIMES) as RegimeName[];
  const regime = readKeyword('regime', parameters['regime'], { words: regimes, invalid });
  const rng = readKeyword('rng', parameters['rng'], { words: ['common', 'independent'], invalid });
  invalid.check();
  return { parameters: { regime, rng, figures, hazards }, ignored };
};

const isFigureName = (name: string): name is FigureName => Object.hasOwn(RANGES, name);

type Range = readonly [min: number, max: number];
type FigureContext = { range: Range; invalid: InvalidFields };

/**
 * Reads a number, which sets the figure in all turns, or an object with `value` and optional mode
 * and turns, or an object with `path`, which has one value per turn from `fromTurn` on. Adds all
 * errors to `invalid`. Returns undefined if `value` is neither a number nor an object.
 */
const readFigure = (name: string, value: JsonValue, context: FigureContext): Figure | undefined => {
  const { range, invalid } = context;
  const [min, max] = range;
  if (typeof value === 'number') {
    const values = [readNumber(name, value, context)];
    return { mode: 'set', values, fromTurn: 1, toTurn: TURN_MAX, min, max };
  }
  if (!isObject(value)) {
    invalid.add(name, 'must be a number, {value, mode?, fromTurn?, toTurn?} or {path, fromTurn?}');
    return undefined;
  }
  const fromTurn = readTurn(`${name}.fromTurn`, value['fromTurn'], { absentValue: 1, invalid });
  if (value['path'] !== undefined) {
    const values = readPath(name, value['path'], context);
    return { mode: 'set', values, fromTurn, toTurn: fromTurn + values.length - 1, min, max };
  }
  const mode = readKeyword(`${name}.mode`, value['mode'], { words: MODES, invalid });
  const toTurn = readTurn(`${name}.toTurn`, value['toTurn'], { absentValue: TURN_MAX, invalid });
  if (toTurn < fromTurn) invalid.add(`${name}.toTurn`, 'must not be before fromTurn');
  const values = [
    readNumber(`${name}.value`, value['value'], { range: rangeOfMode(mode, range), invalid }),
  ];
  return { mode, values, fromTurn, toTurn, min, max };
};

const MODES = ['set', 'add', 'scale'] as const;

/** Returns the range of the values that `mode` may set, add or multiply by. */
const rangeOfMode = (mode: Figure['mode'], [min, max]: Range): Range => {
  if (mode === 'set') return [min, max];
  return mode === 'add' ? [min - max, max - min] : [0, SCALE_MAX];
};

const readPath = (name: string, path: JsonValue, context: FigureContext): number[] => {
  if (!Array.isArray(path) || path.length === 0 || path.length > PATH_MAX) {
    const description = `must be an array of 1 to ${PATH_MAX} numbers, one a turn`;
    context.invalid.add(`${name}.path`, description);
    return [];
  }
  return path.map((item, index) => readNumber(`${name}.path[${index}]`, item, context));
};

const readNumber = (
  name: string,
  value: JsonValue | undefined,
  { range: [min, max], invalid }: FigureContext,
): number => {
  if (typeof value === 'number' && value >= min && value <= max) return value;
  invalid.add(name, `must be a number from ${min} to ${max}`);
  return 0;
};

const readTurn = (
  name: string,
  value: JsonValue | undefined,
  { absentValue, invalid }: { absentValue: number; invalid: InvalidFields },
): number => {
  if (value === undefined) return absentValue;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= TURN_MAX) {
    return value;
  }
  invalid.add(name, `must be a whole number from 1 to ${TURN_MAX}`);
  return absentValue;
};

const readKeyword = <const T extends string>(
  name: string,
  value: JsonValue | undefined,
  { words, invalid }: { words: readonly T[]; invalid: InvalidFields },
): T => {
  const found = value === undefined ? words[0] : words.find((word) => word === value);
  if (found === undefined) invalid.add(name, `must be one of ${words.join(', ')}`);
  return found ?? words[0]!;
};

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
