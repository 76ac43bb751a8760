import { useState } from 'react';
import { Link, Outlet } from '@tanstack/react-router';
import { IconButton } from '../ui/button.tsx';
import { Drawer } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { AccountMenu } from './account-menu.tsx';
import { ModelBanner } from './model-banner.tsx';
import { NAVIGATION } from './navigation.ts';
import { canUse, useSession } from './session.ts';
import type { Session } from './session.ts';
import css from './shell.module.css';
import { ThemeMenu } from './theme-menu.tsx';
import markUrl from './witan.svg';

/** The navigation beside the page, or behind a button on narrow screens. */
export const Shell = () => {
  const session = useSession();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const closeMenu = (): void => setMenuOpen(false);
  return (
    <div className={css.shell}>
      <a className={css.skip} href="#main">
        Skip to the page
      </a>
      <header className={css.side}>
        <Navigation session={session} />
      </header>
      <header className={css.bar}>
        <Brand session={session} />
        <IconButton icon="menu" label="Open the navigation" onPress={() => setMenuOpen(true)} />
      </header>
      <Drawer label="Navigation" isOpen={isMenuOpen} onClose={closeMenu}>
        <Navigation session={session} onNavigate={closeMenu} />
      </Drawer>
      <main className={css.main} id="main" tabIndex={-1}>
        <ModelBanner />
        <Outlet />
      </main>
    </div>
  );
};

const Brand = ({ session }: { session: Session }) => (
  <Link to="/" className={css.brand}>
    <img src={markUrl} alt="" width="32" height="32" />
    <span className={css.names}>
      <span className={css.product}>Witan</span>
      <span className={css.workspace}>{session.workspaceName}</span>
    </span>
  </Link>
);

type NavigationProps = { session: Session; onNavigate?: () => void };

const Navigation = ({ session, onNavigate }: NavigationProps) => (
  <div className={css.panel}>
    <Brand session={session} />
    <nav className={css.links} aria-label="Sections">
      {NAVIGATION.filter(({ scopes }) => canUse(session, scopes)).map(({ to, label, icon }) => (
        <Link key={to} to={to} className={css.link} onClick={onNavigate}>
          <Icon name={icon} />
          {label}
        </Link>
      ))}
    </nav>
    <div className={css.foot}>
      <div className={css.account}>
        <span className={css.who}>
          <span className={css.whoLabel}>Signed in by key</span>
          <span className={css.whoName} title={session.keyName}>
            {session.keyName}
          </span>
        </span>
        <span className={css.tools}>
          <ThemeMenu />
          <AccountMenu />
        </span>
      </div>
    </div>
  </div>
);
