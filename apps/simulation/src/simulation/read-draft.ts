import { TURN_UNITS } from '../engine/engine.ts';
import type { TurnUnit } from '../engine/engine.ts';
import { parseExactObject } from './simulation.ts';
import type { ExactObject } from './simulation.ts';
import { invalidParam } from './simulation-errors.ts';

const NAME_LENGTH_MAX = 200;
const DESCRIPTION_LENGTH_MAX = 4_000;
export const TURNS_MAX = 1_000;

export const checkName = (name: string): void => {
  if (isText(name, NAME_LENGTH_MAX) && name.trim() !== '') return;
  throw invalidParam(
    'name',
    `name must have 1 to ${NAME_LENGTH_MAX} characters, none of them NUL.`,
  );
};

export const checkDescription = (description: string): void => {
  if (isText(description, DESCRIPTION_LENGTH_MAX)) return;
  const message = `description has at most ${DESCRIPTION_LENGTH_MAX} characters, none of them NUL.`;
  throw invalidParam('description', message);
};

const isText = (text: string, lengthMax: number): boolean =>
  text.length <= lengthMax && !text.includes('\0') && text.isWellFormed();

export const parseTurnUnit = (text: string): TurnUnit => {
  const unit = TURN_UNITS.find((item) => item === text);
  if (!unit) throw invalidParam('turnUnit', `turnUnit must be ${TURN_UNITS.join(' or ')}.`);
  return unit;
};

export const checkHorizon = (turns: number): void => {
  if (turns <= TURNS_MAX) return;
  throw invalidParam('horizonTurns', `horizonTurns must be from 1 to ${TURNS_MAX}.`);
};

export const parseSeed = (seed: bigint): number => {
  if (seed <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(seed);
  throw invalidParam('seed', 'seed must be an integer from 0 to 2^53 - 1.');
};

/**
 * Maximum size of a caller's object in UTF-8 bytes. It is limited because every state in a response
 * contains those members of `companyBase` that the engine does not know.
 */
const OBJECT_BYTES_MAX = 32_768;
const OBJECT = /^\s*\{/;

/**
 * Parses the JSON text of an object, whose numbers stay exactly as written. Throws INVALID_REQUEST
 * if the text is too large or is not a JSON object.
 */
export const parseObject = (param: string, text: string): ExactObject => {
  if (Buffer.byteLength(text) > OBJECT_BYTES_MAX) {
    throw invalidParam(param, `${param} has at most ${OBJECT_BYTES_MAX} bytes of JSON.`);
  }
  const value = OBJECT.test(text) ? parseJson(text) : undefined;
  if (!value) throw invalidParam(param, `${param} must be a JSON object.`);
  return value;
};

const parseJson = (text: string): ExactObject | undefined => {
  try {
    return parseExactObject(text);
  } catch {
    return undefined;
  }
};
