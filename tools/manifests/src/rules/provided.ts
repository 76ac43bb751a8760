import { PROVIDED, textOf } from '../files.ts';
import type { Files } from '../files.ts';

export type Provided = {
  secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  configMaps: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

export const readProvided = (files: Files): Provided =>
  JSON.parse(textOf(files, PROVIDED)) as Provided;
