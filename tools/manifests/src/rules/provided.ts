import { PROVIDED, textOf } from '../files.ts';
import type { Files } from '../files.ts';

/** What an installation brings, as kind, name and key, each with its meaning. */
export type Provided = {
  secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  configMaps: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

export const readProvided = (files: Files): Provided =>
  JSON.parse(textOf(files, PROVIDED)) as Provided;
