import { createAddresses, createStreets, createZips } from './addresses.ts';
import type { Lists } from './lists.ts';
import { createNames, type Names } from './names.ts';
import { createNoise, type Noise } from './noise.ts';
import { createOrgs } from './orgs.ts';
import type { Random } from './random.ts';

export type Values = Names &
  Record<'address' | 'street' | 'org' | 'zip' | 'job' | 'product', () => string> & { noise: Noise };

export const createValues = (lists: Lists, random: Random): Values => {
  const names = createNames(lists, random);
  const street = createStreets(lists, names, random);
  const zip = createZips(names, random);
  return {
    ...names,
    street,
    zip,
    address: createAddresses(street, zip, names, random),
    org: createOrgs(lists, names, random),
    job: () => random.pick(lists.job),
    product: () => random.pick(lists.product),
    noise: createNoise(lists, random),
  };
};
