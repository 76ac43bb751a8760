import { isServiceError } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from './call-options.ts';
import type { RouteCall } from './route.ts';

export const createIsCertified =
  (certificates: Client<typeof CertificateService>) =>
  async (call: RouteCall, proofId: string): Promise<boolean> => {
    try {
      await certificates.getCertificate({ proofId }, optionsOf(call));
      return true;
    } catch (error) {
      if (isServiceError(error) && error.reason === 'NOT_FOUND') return false;
      throw error;
    }
  };
