import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { ConversationSchema } from '@witan/contracts';
import { estimateTokenNeed, fitOutput } from './plan.ts';
import type { RequestInput } from '../masking/mask-request.ts';

const CAP = 1_000;

const input = (choices = 1): RequestInput =>
  ({ form: 'wire', summary: { outputLimits: {}, choices } }) as unknown as RequestInput;
const NEUTRAL: RequestInput = { form: 'neutral', conversation: create(ConversationSchema) };

describe('the token need', () => {
  it.each([
    ['a call without a limit', input(), undefined, 1_050, 51],
    ['a call with a limit', input(), 10, 60, 51],
    ['a negative limit', input(), -5, 51, 51],
    ['several answers', input(4), 10, 90, 54],
    ['a conversation', NEUTRAL, 20, 70, 51],
    ['a conversation without a limit', NEUTRAL, undefined, 1_050, 51],
  ])('is computed for %s', (_name, call, outputTokens, amount, minimum) => {
    const need = estimateTokenNeed({ input: call, promptTokens: 50 }, { outputTokens }, CAP);
    expect(need).toMatchObject({ amount, minimum });
  });

  it.each([
    [1, 60, 10],
    [4, 90, 10],
    [4, 93, 10],
    [4, 54, 1],
  ])('is divided between %d answers: %d tokens give %d each', (choices, held, expected) => {
    const call = { input: input(choices), promptTokens: 50 };
    const need = estimateTokenNeed(call, { outputTokens: undefined }, CAP);
    expect(fitOutput(need, held)).toBe(expected);
  });
});
