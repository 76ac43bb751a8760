import process from 'node:process';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/**
 * Folder of installed packages. A sample of their files that contains no names is scanned for false
 * positives.
 */
export const NODE_MODULES = `${repository}node_modules`;

/**
 * Returns the folder that contains dev.jsonl, negatives.jsonl, corpora.json and eval.mjs:
 * `argument`, or `pii` in the folder that WITAN_SHARED_DATA names (by default `shared/data` beside
 * the repository).
 */
export const dataFolder = (argument: string | undefined): string =>
  argument ?? `${process.env['WITAN_SHARED_DATA'] ?? `${repository}../shared/data`}/pii`;

/**
 * Returns the folder in which compared detectors are installed (`argument` or WITAN_PEERS), or
 * undefined if none is given.
 */
export const peersFolder = (argument: string | undefined): string | undefined =>
  argument ?? process.env['WITAN_PEERS'];
