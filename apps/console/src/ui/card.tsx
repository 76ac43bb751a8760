import type { ReactNode } from 'react';
import css from './card.module.css';

type CardsProps = { isOrdered?: boolean; children: ReactNode };

/** A list of cards beside each other, as many as fit. */
export const Cards = ({ isOrdered = false, children }: CardsProps) =>
  isOrdered ? <ol className={css.cards}>{children}</ol> : <ul className={css.cards}>{children}</ul>;

type CardProps = { title: ReactNode; badge: ReactNode; children: ReactNode };

export const Card = ({ title, badge, children }: CardProps) => (
  <li className={css.card}>
    <div className={css.head}>
      <h3>{title}</h3>
      {badge}
    </div>
    {children}
  </li>
);
