import { describe, expect, it } from '@jest/globals';
import { isAddressLike, readModelAddress } from './read-model-address.ts';
import type { ModelAddress } from './read-model-address.ts';

const UNCHANGED = { kind: 'service-sensitive', name: '', sensitive: false } as const;
const FLAGGED = { kind: 'model', name: 'gpt-4o', sensitive: true } as const;

const ACCEPTED: readonly (readonly [string, Partial<ModelAddress>])[] = [
  ['service-sensitive', UNCHANGED],
  ['service_sensitive', UNCHANGED],
  ['service\u2010sensitive', UNCHANGED],
  ['service\u2212sensitive', UNCHANGED],
  ['service\u2014sensitive', UNCHANGED],
  ['service\uff0dsensitive', UNCHANGED],
  ['service--sensitive', UNCHANGED],
  ['Service-Sensitive', UNCHANGED],
  [' SERVICE - SENSITIVE\u00a0', UNCHANGED],
  ['service-\u200bsensitive', UNCHANGED],
  ['ｓｅｒｖｉｃｅ－ｓｅｎｓｉｔｉｖｅ', UNCHANGED],
  ['service%2Dsensitive', UNCHANGED],
  ['service%252Dsensitive', UNCHANGED],
  ['%73ervice-sensitive', UNCHANGED],
  ['service-sensitive+sensitive', { ...UNCHANGED, sensitive: true }],
  ['Service_Auto', { kind: 'service-auto' }],
  ['service-agent+Knowledge', { kind: 'service-agent', knowledge: true }],
  ['gpt-4o+sensitive', FLAGGED],
  ['gpt-4o +Sensitive ', FLAGGED],
  ['gpt-4o%2Bsensitive', FLAGGED],
  ['gpt-4o%252bsensitive', FLAGGED],
  ['gpt-4o\uff0bsensitive', FLAGGED],
  ['gpt-4o\u2795sensitive', FLAGGED],
  ['gpt-4o%EF%BC%8Bsensitive', FLAGGED],
  ['gpt-4o+sens%69tive', FLAGGED],
  ['gpt-4o+sensitive+knowledge', { ...FLAGGED, knowledge: true }],
  ['+sensitive', { kind: 'model', name: '', sensitive: true }],
  ['gpt-4o', { kind: 'model', name: 'gpt-4o' }],
  ['my_Model%20v2 ', { kind: 'model', name: 'my_Model%20v2 ' }],
  ['some/vendor_x:model@v2', { kind: 'model', name: 'some/vendor_x:model@v2' }],
  ['my_Model\uff12+knowledge', { kind: 'model', name: 'my_Model\uff12', knowledge: true }],
  ['100%', { kind: 'model', name: '100%' }],
  ['%ff', { kind: 'model', name: '%ff' }],
  ['', { kind: 'model', name: '' }],
  ['agent:ann', { kind: 'agent', name: 'ann' }],
  ['Agent:Ann Lee+sensitive', { kind: 'agent', name: 'Ann Lee', sensitive: true }],
  ['legal-sensitive', { kind: 'model', name: 'legal-sensitive' }],
  ['sensitive-embedding', { kind: 'model', name: 'sensitive-embedding' }],
  ['agents:ann', { kind: 'model', name: 'agents:ann' }],
  ['debate:42', { kind: 'debate', name: '42' }],
];

const REFUSED: readonly (readonly [string, string])[] = [
  ['gpt-4o+sensitve', 'did you mean +sensitive?'],
  ['gpt-4o%2Bsensitve', 'did you mean +sensitive?'],
  ['gpt-4o+knowlege', 'did you mean +knowledge?'],
  ['gpt-4o+turbo', 'the flags are +knowledge and +sensitive'],
  ['gpt-4o+', 'the flags are'],
  ['gpt-4o+sensitive:free', 'the flags are'],
  ['agent:ann+private', 'the flags are'],
  ...['sensitive', ' Sensitive', 'sensitve', 'gpt-4o&sensitive', 'gpt-4o%26sensitive'].map(
    (name) => [name, 'did you mean +sensitive?'] as const,
  ),
  ...['gpt-4o sensitive', 'gpt-4o:sensitive', 'gpt-4o/Sensitive', 'gpt-4o,sensitve'].map(
    (name) => [name, 'did you mean +sensitive?'] as const,
  ),
  ['service-sensitve', 'did you mean service-sensitive?'],
  ['service sensitive', 'did you mean service-sensitive?'],
  ['sevice-sensitive', 'did you mean service-sensitive?'],
  // The first letter of the requested name is Cyrillic.
  ['ѕervice-sensitive', 'did you mean service-sensitive?'],
  ['service-autos', 'did you mean service-auto?'],
  ['service-other', 'service-auto, service-agent, service-sensitive'],
  ['service', 'service-auto, service-agent, service-sensitive'],
  ['service-sensitive:free', 'service-auto, service-agent, service-sensitive'],
  ['Services/foo', 'service-auto, service-agent, service-sensitive'],
];

describe('readModelAddress', () => {
  it.each(ACCEPTED)('parses %j', (requested, expected) => {
    const allMembers = { name: '', knowledge: false, sensitive: false, ...expected };
    expect(readModelAddress(requested)).toEqual(allMembers);
  });

  it.each(REFUSED)('refuses %j with a suggestion', (requested, message) => {
    expect(() => readModelAddress(requested)).toThrow(
      expect.objectContaining({
        reason: 'INVALID_REQUEST',
        fields: { param: 'model' },
        message: expect.stringContaining(message),
      }),
    );
  });
});

describe('isAddressLike', () => {
  it.each([
    'service-sensitive',
    'Service_Sensitve',
    'gpt-4o+sensitive',
    'gpt-4o+Sensitve',
    'm+knowledge',
  ])('is true for names that equal or resemble an address of Witan: %s', (model) => {
    expect(isAddressLike(model)).toBe(true);
  });

  it.each(['gpt-4o', 'my_model', 'vendor/model+v2', 'ServiceNow-AI/Apriel', 'a+b', ''])(
    'is false for other names: %s',
    (model) => {
      expect(isAddressLike(model)).toBe(false);
    },
  );
});
