import { defineEntity, p } from '@mikro-orm/core';

export const SigningKeyEntity = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_key',
  properties: {
    keyId: p.string().primary(),
    publicKey: p.text(),
    notBefore: p.datetime(),
    notAfter: p.datetime().nullable(),
  },
});
