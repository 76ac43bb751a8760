import { Link } from '@tanstack/react-router';
import { Icon } from '../ui/icon.tsx';
import css from './proof-badges.module.css';

/** Links to the certificates of the calls that wrote a text. */
export const ProofBadges = ({ proofs, of }: { proofs: readonly string[]; of: string }) =>
  proofs.map((proofId, index) => (
    <Link
      key={proofId}
      to="/calls/$proofId"
      params={{ proofId }}
      className={css.proof}
      preload={false}
      aria-label={`Proof ${index + 1} of ${of}`}
    >
      <Icon name="shield" size={14} />
      {proofs.length === 1 ? 'Proof' : `Proof ${index + 1}`}
    </Link>
  ));
