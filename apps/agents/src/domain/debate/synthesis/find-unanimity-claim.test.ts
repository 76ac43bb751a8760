import { describe, expect, it } from '@jest/globals';
import { divided } from '../../../../test/divided-council.ts';
import { findUnanimityClaim } from './find-unanimity-claim.ts';
import { tallyVotes } from './tally-votes.ts';

const { issues, rounds } = divided();
const { dissent } = tallyVotes(rounds[0]!.answers, issues);
const find = (prose: string): string | undefined => findUnanimityClaim(prose, { dissent, issues });

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
  ])('passes %j', (prose) => {
    expect(find(prose)).toBeUndefined();
  });

  it('lets a council without dissent be unanimous', () => {
    expect(findUnanimityClaim('Unanimous.', { dissent: [], issues })).toBeUndefined();
  });
});
