import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@bufbuild/protobuf';
import { isServiceError } from '@witan/contracts';
import { toClimate, override } from './climate.ts';
import { EVENT_CODES } from './event-catalogue.ts';
import { readParameters } from './world-parameters.ts';

const growthOf = (gdpGrowth: JsonObject | number): number[] => {
  const { parameters } = readParameters({ gdpGrowth });
  return [1, 2, 3, 4, 5].map((turn) => override(3, toClimate(parameters, turn).gdpGrowth));
};

describe('readParameters', () => {
  it.each<[string, JsonObject | number, number[]]>([
    ['a plain number pins the figure', -2, [-2, -2, -2, -2, -2]],
    ['a value sets the figure', { value: 1 }, [1, 1, 1, 1, 1]],
    ['turns limit the change', { value: 1, fromTurn: 2, toTurn: 3 }, [3, 1, 1, 3, 3]],
    ['mode add adds the value', { value: -1, mode: 'add' }, [2, 2, 2, 2, 2]],
    [
      'mode scale multiplies by the value',
      { value: 2, mode: 'scale', fromTurn: 5 },
      [3, 3, 3, 3, 6],
    ],
    ['the result is limited to the range', { value: 49, mode: 'add' }, [25, 25, 25, 25, 25]],
    ['a path sets one value per turn', { path: [1, 2], fromTurn: 2 }, [3, 1, 2, 3, 3]],
  ])('%s', (_, figure, expected) => {
    expect(growthOf(figure)).toEqual(expected);
  });

  it('reads hazards in both notations', () => {
    const flatParameters = readParameters({ 'eventHazard.price_war': 0.5 }).parameters;
    const nested = readParameters({ eventHazard: { price_war: 0.5 } }).parameters;

    expect(nested).toEqual(flatParameters);
    expect(toClimate(flatParameters, 1).hazards[EVENT_CODES.indexOf('price_war')]).toBe(0.5);
    expect(toClimate(flatParameters, 1).hazards[EVENT_CODES.indexOf('recession')]).toBe(0.03);
  });

  it('lists unknown names', () => {
    const parameters = {
      gdpGrowth: 1,
      mood: 'bad',
      'eventHazard.meteor': 1,
      eventHazard: { ufo: 1 },
    };

    expect(readParameters(parameters).ignored).toEqual([
      'mood',
      'eventHazard.meteor',
      'eventHazard.ufo',
    ]);
  });

  it('returns plain JSON', () => {
    const { parameters } = readParameters({ gdpGrowth: { path: [1] }, regime: 'moderation' });

    expect(JSON.parse(JSON.stringify(parameters))).toEqual(parameters);
  });

  it.each<[string, JsonObject, string]>([
    ['a number out of range', { gdpGrowth: -80 }, 'gdpGrowth'],
    ['a string', { taxRate: '20' }, 'taxRate'],
    ['no value', { taxRate: {} }, 'taxRate.value'],
    ['an unknown mode', { taxRate: { value: 1, mode: 'grow' } }, 'taxRate.mode'],
    [
      'turns that end before they begin',
      { taxRate: { value: 1, fromTurn: 3, toTurn: 2 } },
      'taxRate.toTurn',
    ],
    ['a turn that is not a number', { taxRate: { value: 1, fromTurn: 'x' } }, 'taxRate.fromTurn'],
    ['an empty path', { inflationRate: { path: [] } }, 'inflationRate.path'],
    ['a word in a path', { inflationRate: { path: [1, 'x'] } }, 'inflationRate.path[1]'],
    ['a hazard above 1', { 'eventHazard.recession': 2 }, 'eventHazard.recession'],
    ['a list of hazards', { eventHazard: [1] }, 'eventHazard'],
    ['an unknown regime', { regime: 'golden' }, 'regime'],
    ['an unknown rng', { rng: true }, 'rng'],
  ])('rejects %s, and names the invalid parameter', (_, parameters, name) => {
    let error: unknown;
    try {
      readParameters(parameters);
    } catch (caught) {
      error = caught;
    }
    expect(isServiceError(error) && [error.reason, error.fields['param']]).toEqual([
      'INVALID_REQUEST',
      `parameters.${name}`,
    ]);
  });

  it('lists every invalid value in one error', () => {
    const parameters = {
      gdpGrowth: 'x',
      taxRate: { value: 99, mode: 'grow', fromTurn: 0, toTurn: 1.5 },
      inflationRate: { path: [1, 1e308, null] },
      eventHazard: { recession: 2, ufo: 3 },
      regime: 'golden',
    };
    let paths: string[] = [];
    try {
      readParameters(parameters);
    } catch (error) {
      if (!isServiceError(error)) throw error;
      paths = (JSON.parse(error.fields['faults']!) as { path: string }[]).map(({ path }) => path);
    }
    expect(paths).toEqual(
      [
        ...['gdpGrowth', 'taxRate.fromTurn', 'taxRate.mode', 'taxRate.toTurn', 'taxRate.value'],
        ...['inflationRate.path[1]', 'inflationRate.path[2]', 'eventHazard.recession', 'regime'],
      ].map((name) => `parameters.${name}`),
    );
  });

  it('limits the listed invalid fields', () => {
    const path = Array.from({ length: 400 }, () => 'x');
    const parameters = { gdpGrowth: { path }, taxRate: { path }, wageGrowth: { path } };
    let refusal: { message: string; fields: Record<string, string> } | undefined;
    try {
      readParameters(parameters);
    } catch (error) {
      if (isServiceError(error)) refusal = error;
    }
    expect(refusal?.message).toMatch(/\(and 1199 more\)\.$/);
    expect(refusal?.fields['faults']?.length).toBeLessThan(8_192);
  });
});
