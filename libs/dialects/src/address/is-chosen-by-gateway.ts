import { readModelAddress } from './read-model-address.ts';

/** Returns whether the gateway chose the model instead of the client; flags are ignored. */
export const isChosenByGateway = (requested: string, model: string): boolean =>
  requested !== model && readModelAddress(requested).name !== model;
