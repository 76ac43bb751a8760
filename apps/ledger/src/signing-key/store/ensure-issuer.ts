import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';

/**
 * Stores the issuer at the first start and throws if it differs later, because every chain's
 * genesis hash depends on it.
 */
export const ensureIssuer = (database: Database, issuer: string): Promise<void> =>
  database.scoped(everyWorkspace, async (em) => {
    await em.execute('INSERT INTO chain_issuer (issuer) VALUES (?) ON CONFLICT DO NOTHING', [
      issuer,
    ]);
    const [storedRow] = await em.execute<{ issuer: string }[]>('SELECT issuer FROM chain_issuer');
    if (storedRow!.issuer === issuer) return;
    throw new Error(
      `These chains were issued by "${storedRow!.issuer}", but WITAN_ISSUER is "${issuer}": an ` +
        'issuer never changes. Restore the setting, or use another database.',
    );
  });
