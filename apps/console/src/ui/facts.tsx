import type { ReactNode } from 'react';
import css from './page.module.css';

/** A list of names and values. */
export const Facts = ({ children }: { children: ReactNode }) => (
  <dl className={css['facts']}>{children}</dl>
);

type FactProps = { name: string; note?: ReactNode; children: ReactNode };

export const Fact = ({ name, note, children }: FactProps) => (
  <>
    <dt>{name}</dt>
    <dd>
      {children}
      {note !== undefined && <span className={css['note']}>{note}</span>}
    </dd>
  </>
);
