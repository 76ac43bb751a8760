import css from '../settings.module.css';
import { shareOf } from './target-share.ts';
import type { Target } from './models-query.ts';

/** The targets of a name in their order: where calls begin, and what follows a failure. */
export const TargetList = ({ targets }: { targets: readonly Target[] }) => (
  <ol className={css.targets}>
    {targets.map((target) => {
      const share = shareOf(target, targets);
      return (
        <li key={`${target.provider}/${target.model}`}>
          <strong>{target.model}</strong> <span className="muted">{target.provider}</span>
          {share !== undefined && <span className="muted">, {share} of conversations</span>}
        </li>
      );
    })}
  </ol>
);
