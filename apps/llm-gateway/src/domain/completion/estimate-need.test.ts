import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { ConversationSchema } from '@witan/contracts';
import { estimateNeed, fitOutput } from './estimate-need.ts';
import type { Asked } from './plan-call.ts';

const CAP = 1_000;

const wire = (outputLimits: Record<string, number>, choices = 1): Asked =>
  ({ form: 'wire', facts: { outputLimits, choices } }) as unknown as Asked;
const neutral = (maxOutputTokens?: number): Asked => ({
  form: 'neutral',
  conversation: create(ConversationSchema, {
    ...(maxOutputTokens === undefined ? {} : { sampling: { maxOutputTokens } }),
  }),
});

describe('what a call may use', () => {
  it.each([
    ['no limit', wire({}), 1_050, 51],
    ['a limit', wire({ max_tokens: 10 }), 60, 51],
    ['a limit above the cap', wire({ max_tokens: 1e300 }), 1_050, 51],
    ['the larger of two limits', wire({ max_tokens: 10, max_completion_tokens: 30 }), 80, 51],
    ['a limit that is none', wire({ max_tokens: -5 }), 51, 51],
    ['several answers', wire({ max_tokens: 10 }, 4), 90, 54],
    ['a conversation', neutral(20), 70, 51],
    ['a conversation without a limit', neutral(), 1_050, 51],
  ])('of %s', (_name, asked, amount, minimum) => {
    expect(estimateNeed({ asked, promptTokens: 50 }, CAP)).toMatchObject({ amount, minimum });
  });

  it.each([
    [1, 60, 10],
    [4, 90, 10],
    [4, 93, 10],
    [4, 54, 1],
  ])('is shared by %d answers: of %d tokens each gets %d', (choices, held, expected) => {
    const need = estimateNeed({ asked: wire({}, choices), promptTokens: 50 }, CAP);
    expect(fitOutput(need, held)).toBe(expected);
  });
});
