import { readModelAddress } from './read-model-address.ts';

/** Whether a model runs that its client did not name; flags are no part of a name. */
export const isChosen = (requested: string, model: string): boolean =>
  requested !== model && readModelAddress(requested).name !== model;
