import { ServiceError } from '@witan/contracts';
import type { Conversation, Part } from '@witan/contracts';
import type { JsonObject } from '@witan/dialects';
import { createMasker } from '@witan/privacy';
import type { CategoryCounts, Detect } from '@witan/privacy';
import type { Asked } from '../completion/plan-call.ts';

/** Nothing is written with it: only the counts are read. */
const NO_KEY = new Uint8Array(32);

/**
 * Counts the personal data of a call as masking would find it; every text of it is passed to the
 * detector. Throws INTERNAL when that throws.
 */
export const inspectCall = (asked: Asked, detect: Detect): CategoryCounts => {
  try {
    const masker = createMasker({ key: NO_KEY, detect });
    if (asked.form === 'wire') {
      const { toRequestLeaf } = asked.dialect;
      masker.maskJsonText(asked.text, {
        isExempt: (path, root) => toRequestLeaf(path, root as JsonObject) !== 'text',
      });
    } else for (const text of textsOf(asked.conversation)) masker.mask(text);
    return masker.counts();
  } catch (error) {
    const message = 'The call was not sent, because what it holds could not be inspected.';
    throw new ServiceError('INTERNAL', message, { cause: error });
  }
};

const textsOf = ({ system, turns, tools }: Conversation): string[] => [
  ...system.map(({ text }) => text),
  ...turns.flatMap(({ parts }) => parts.flatMap(textsOfPart)),
  ...tools.map(({ description }) => description),
];

/** Reasoning is neither masked nor counted. */
const textsOfPart = ({ part }: Part): string[] => {
  switch (part.case) {
    case 'text':
    case 'refusal':
      return [part.value.text];
    case 'toolCall':
      return [part.value.arguments];
    case 'toolResult':
      return part.value.parts.flatMap(textsOfPart);
    case 'document': {
      const { name, media } = part.value;
      return [name, media?.source.case === 'text' ? media.source.value : ''];
    }
    default:
      return [];
  }
};
