import { closedObject } from '../../http/schema.ts';

const money = closedObject({
  currency: { const: 'USD' },
  micros: { type: 'integer', minimum: 0, description: 'Millionths of a US dollar' },
});

export const MONEY_OR_NULL = {
  anyOf: [money, { type: 'null' }],
  description: 'Null: the model has no price, which is not the same as 0',
} as const;

export const encodeCost = (micros: bigint | undefined) =>
  micros === undefined ? null : { currency: 'USD', micros: Number(micros) };
