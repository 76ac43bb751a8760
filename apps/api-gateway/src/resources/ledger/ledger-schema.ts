import { WORKSPACE_ID } from '../../http/text-pattern.ts';
import { closedObject, count, dateTime, text } from '../../http/schema.ts';

const REASON_LENGTH_MAX = 500;
const AMOUNT_MAX = 1_000_000_000_000_000;

const balance = closedObject({
  available: { ...count, description: 'What calls may still use: posted - held' },
  held: { ...count, description: 'Held by calls in flight' },
  posted: { ...count, description: 'Credited and not used' },
  unit: { const: 'tokens' },
  metering: {
    enum: ['metered', 'unmetered'],
    description: 'Unmetered: usage is entered, and no call is refused or paid for',
  },
});

const entry = closedObject({
  id: text,
  kind: {
    enum: ['credit', 'usage', 'refund', 'overrun'],
    description: "overrun: the part of a call's usage beyond what was reserved for it",
  },
  amount: { type: 'integer', minimum: 1, description: 'Tokens, whatever the kind' },
  certificateId: { type: ['string', 'null'], description: 'The call whose usage this is' },
  createdAt: dateTime,
});

export const BALANCE = closedObject({ balance });

export const ENTRIES = closedObject(
  { entries: { type: 'array', items: entry } },
  { nextCursor: { type: 'string', description: 'Present when there are older entries' } },
);

export const NEW_CREDIT = {
  type: 'object',
  required: ['amount'],
  properties: {
    amount: { type: 'integer', minimum: 1, maximum: AMOUNT_MAX, description: 'Tokens' },
    reason: {
      type: 'string',
      maxLength: REASON_LENGTH_MAX,
      description: "For the operator's books; no personal data",
    },
    workspaceId: {
      type: 'string',
      pattern: WORKSPACE_ID,
      description: "Whose account; by default the key's workspace",
    },
  },
} as const;

export const CREDIT_RESULT = closedObject({ entry, balance });
