import { describe, expect, it } from '@jest/globals';
import { answerOf, dividedSource } from '../../../test/divided-council.ts';
import { findUnanimityClaim } from './find-unanimity-claim.ts';

const { issues, rounds } = dividedSource();
const { answers } = rounds[0]!;
const find = (prose: string): string | undefined => findUnanimityClaim(prose, { answers, issues });

describe('findUnanimityClaim', () => {
  it.each([
    ['The council was unanimous.'],
    ['A unanimous council. It is not cheap.'],
    ['Everyone agrees that it is worth it.'],
    ['All members agree on the plan.'],
    ['All five advisers agreed.'],
    ['There is full agreement on [i1].'],
    ['They reached complete consensus.'],
    ['It was decided without dissent.'],
    ['Nobody objects.'],
    ['No member dissented.'],
    ['Das beschloss der Rat einstimmig.'],
    ['Le conseil est unanime.'],
    ['El consejo lo decide por unanimidad.'],
    ['Nobody dissents on [i1] or [i2].'],
    ['Everybody backs it.'],
    ['All five members are for it.'],
    ['The whole council supports [i1].'],
  ])('finds %j', (prose) => {
    expect(find(prose)).toBeDefined();
  });

  it.each([
    ['The council is not unanimous.'],
    ['That is far from unanimous.'],
    ['There is no full agreement.'],
    ['Nobody dissents on [i2].'],
    ['On [i2] the council is unanimous.'],
    ['Four support it and [E] dissents.'],
    ['The council agrees with what most hold.'],
    ['All of this is agreed to be costly by some.'],
    ['All costs were weighed; one member disagrees.'],
  ])('accepts %j', (prose) => {
    expect(find(prose)).toBeUndefined();
  });

  it('accepts the claim if there is no dissent', () => {
    const unanimous = answers.slice(0, 4);
    expect(findUnanimityClaim('Unanimous.', { answers: unanimous, issues })).toBeUndefined();
  });

  it.each([
    ['has no stance', answerOf('f', {})],
    ['has no stance on one issue', answerOf('f', { i1: [1, 1] })],
    ['is undecided', answerOf('f', { i1: [1, 1], i2: [0, 1] })],
  ])('finds a claim if an agent %s', (_what, other) => {
    const council = [...answers.slice(0, 4), other];
    const claim = 'Everybody supports it.';
    expect(findUnanimityClaim(claim, { answers: council, issues })).toBe('Everybody supports');
  });
});
