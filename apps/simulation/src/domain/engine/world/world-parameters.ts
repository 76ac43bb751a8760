import { invalidRequest } from '@witan/contracts';
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { EVENT_CODES } from './event-catalogue.ts';
import { REGIMES } from './regime.ts';
import type { RegimeName } from './regime.ts';

/** One figure of the model that a scenario changes, from its first turn to its last. */
export type Figure = {
  readonly mode: 'set' | 'add' | 'scale';
  /** One for all turns, or one a turn. */
  readonly values: readonly number[];
  readonly fromTurn: number;
  readonly toTurn: number;
  readonly min: number;
  readonly max: number;
};

/** Units: percent a year; competitorIntensity and priceElasticity are numbers around 1. */
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

/** A scenario's parameters, read. JSON-safe. */
export type WorldParameters = {
  readonly regime: RegimeName;
  /** `independent`: the scenario meets a luck of its own. */
  readonly rng: 'common' | 'independent';
  readonly figures: Readonly<Partial<Record<FigureName, Figure>>>;
  /** In the catalogue's order; null: as it is. */
  readonly hazards: readonly (Figure | null)[];
};

export type ReadParameters = {
  readonly parameters: WorldParameters;
  /** Names that the model does not know; agents are shown them all the same. */
  readonly ignored: readonly string[];
};

const HAZARD = 'eventHazard.';
const HAZARD_RANGE = [0, 1] as const;
const SCALE_MAX = 10;
const TURN_MAX = 1_000_000;
const PATH_MAX = 400;

/**
 * Names of the model are read, others named. Throws INVALID_REQUEST with `param`
 * `parameters.<name>` for what cannot be meant: a wrong type, a number out of range.
 */
export const readParameters = (given: JsonObject): ReadParameters => {
  const figures: Partial<Record<FigureName, Figure>> = {};
  const hazards: (Figure | null)[] = EVENT_CODES.map(() => null);
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (isFigureName(name)) figures[name] = readFigure(name, value, RANGES[name]);
    else if (name === 'regime' || name === 'rng') continue;
    else if (name === 'eventHazard') readHazards(value, hazards, ignored);
    else if (name.startsWith(HAZARD)) readHazard(name, value, hazards, ignored);
    else ignored.push(name);
  }
  const regime = readWord('regime', given['regime'], Object.keys(REGIMES) as RegimeName[]);
  const rng = readWord('rng', given['rng'], ['common', 'independent'] as const);
  return { parameters: { regime, rng, figures, hazards }, ignored };
};

const isFigureName = (name: string): name is FigureName => Object.hasOwn(RANGES, name);

/** `{eventHazard: {recession: 0.1}}` is the same as `{"eventHazard.recession": 0.1}`. */
const readHazards = (value: JsonValue, hazards: (Figure | null)[], ignored: string[]): void => {
  if (!isObject(value)) throw wrong('eventHazard', 'must be an object of event codes');
  for (const [code, hazard] of Object.entries(value)) {
    readHazard(HAZARD + code, hazard, hazards, ignored);
  }
};

const readHazard = (
  name: string,
  value: JsonValue,
  hazards: (Figure | null)[],
  ignored: string[],
): void => {
  const place = (EVENT_CODES as readonly string[]).indexOf(name.slice(HAZARD.length));
  if (place === -1) ignored.push(name);
  else hazards[place] = readFigure(name, value, HAZARD_RANGE);
};

/** A number is a pin; an object says how, and for which turns; a path is a value a turn. */
const readFigure = (
  name: string,
  value: JsonValue,
  [min, max]: readonly [number, number],
): Figure => {
  if (typeof value === 'number') {
    const values = [inRange(name, value, min, max)];
    return { mode: 'set', values, fromTurn: 1, toTurn: TURN_MAX, min, max };
  }
  if (!isObject(value)) {
    throw wrong(name, 'must be a number, {value, mode?, fromTurn?, toTurn?} or {path, fromTurn?}');
  }
  const fromTurn = readTurn(`${name}.fromTurn`, value['fromTurn'], 1);
  if (value['path'] !== undefined) {
    const values = readPath(name, value['path'], [min, max]);
    return { mode: 'set', values, fromTurn, toTurn: fromTurn + values.length - 1, min, max };
  }
  const mode = readWord(`${name}.mode`, value['mode'], ['set', 'add', 'scale'] as const);
  const [least, most] =
    mode === 'set' ? [min, max] : mode === 'add' ? [min - max, max - min] : [0, SCALE_MAX];
  const toTurn = readTurn(`${name}.toTurn`, value['toTurn'], TURN_MAX);
  if (toTurn < fromTurn) throw wrong(`${name}.toTurn`, 'must not be before fromTurn');
  const values = [inRange(`${name}.value`, value['value'], least, most)];
  return { mode, values, fromTurn, toTurn, min, max };
};

const readPath = (
  name: string,
  path: JsonValue,
  [min, max]: readonly [number, number],
): number[] => {
  if (!Array.isArray(path) || path.length === 0 || path.length > PATH_MAX) {
    throw wrong(`${name}.path`, `must be an array of 1 to ${PATH_MAX} numbers, one a turn`);
  }
  return path.map((one, place) => inRange(`${name}.path[${place}]`, one, min, max));
};

const inRange = (name: string, value: JsonValue | undefined, min: number, max: number): number => {
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw wrong(name, `must be a number from ${min} to ${max}`);
};

const readTurn = (name: string, value: JsonValue | undefined, absent: number): number => {
  if (value === undefined) return absent;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= TURN_MAX) {
    return value;
  }
  throw wrong(name, `must be a whole number from 1 to ${TURN_MAX}`);
};

/** Absent: the first. */
const readWord = <T extends string>(
  name: string,
  value: JsonValue | undefined,
  words: readonly T[],
): T => {
  const found = value === undefined ? words[0] : words.find((word) => word === value);
  if (found !== undefined) return found;
  throw wrong(name, `must be one of ${words.join(', ')}`);
};

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const wrong = (name: string, what: string): Error =>
  invalidRequest(`parameters.${name} ${what}.`, { param: `parameters.${name}` });
