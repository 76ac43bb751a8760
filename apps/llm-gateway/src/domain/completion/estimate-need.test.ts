import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { ConversationSchema } from '@witan/contracts';
import { estimateNeed, fitOutput } from './estimate-need.ts';
import type { Asked } from './plan-call.ts';

const CAP = 1_000;

const asked = (choices = 1): Asked =>
  ({ form: 'wire', summary: { outputLimits: {}, choices } }) as unknown as Asked;
const NEUTRAL: Asked = { form: 'neutral', conversation: create(ConversationSchema) };

describe('the token need', () => {
  it.each([
    ['a call without a limit', asked(), undefined, 1_050, 51],
    ['a call with a limit', asked(), 10, 60, 51],
    ['a negative limit', asked(), -5, 51, 51],
    ['several answers', asked(4), 10, 90, 54],
    ['a conversation', NEUTRAL, 20, 70, 51],
    ['a conversation without a limit', NEUTRAL, undefined, 1_050, 51],
  ])('of %s', (_name, call, outputTokens, amount, minimum) => {
    const need = estimateNeed({ asked: call, promptTokens: 50 }, { outputTokens }, CAP);
    expect(need).toMatchObject({ amount, minimum });
  });

  it.each([
    [1, 60, 10],
    [4, 90, 10],
    [4, 93, 10],
    [4, 54, 1],
  ])('is divided between %d answers: %d tokens give %d each', (choices, held, expected) => {
    const call = { asked: asked(choices), promptTokens: 50 };
    const need = estimateNeed(call, { outputTokens: undefined }, CAP);
    expect(fitOutput(need, held)).toBe(expected);
  });
});
