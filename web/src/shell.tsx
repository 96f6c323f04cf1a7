/* shell: what stands around every page: navigation, who is signed in, whether the page is live. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { learnWho } from "./api";
import { isHelpOpen, shortcuts } from "./keys";
import { liveness } from "./live";
import { PageFrame } from "./page_frame";
import { SignIn } from "./pages/sign_in";
import { Dialog, Questions } from "./parts/dialog";
import { Loading } from "./parts/states";
import { Toasts } from "./parts/toast";
import { match, path } from "./router";
import { routes } from "./routes";
import { session, signOut, token } from "./session";
import { nextTheme, theme } from "./theme";

const isMenuOpen = signal(false);
const ASK_AGAIN_MS = 5000;
const GROUPS = [0, 1, 2] as const;

function Logo() {
    return (
        <a href="/" class="logo" aria-label="Belfry, overview">
            <svg viewBox="0 0 32 32" aria-hidden="true">
                <path d="M16 4a8 8 0 0 0-8 8v7l-3 4h22l-3-4v-7a8 8 0 0 0-8-8zm-4 21a4 4 0 0 0 8 0z" fill="currentColor" />
            </svg>
            Belfry
        </a>
    );
}

function Navigation() {
    const here = match.value.route;
    const isHere = (to: string) => (to === "/" ? path.value === "/" : path.value === to || path.value.startsWith(`${to}/`));
    return (
        <nav class="nav" aria-label="Pages" data-open={isMenuOpen.value ? "" : undefined}>
            {GROUPS.map((group) => (
                <ul key={group}>
                    {routes
                        .filter((route) => route.nav?.group === group)
                        .map((route) => (
                            <li key={route.path}>
                                <a
                                    href={route.path}
                                    aria-current={isHere(route.path) || here?.under === route.path ? "page" : undefined}
                                    title={`g ${route.nav?.key}`}
                                >
                                    {route.title}
                                </a>
                            </li>
                        ))}
                </ul>
            ))}
        </nav>
    );
}

const LIVE_WORDS = { none: "", live: "Live", lost: "Reconnecting…" };

function Footer() {
    return (
        <div class="side-foot">
            <span class={`liveness liveness-${liveness.value}`} role="status">
                {LIVE_WORDS[liveness.value]}
            </span>
            <button type="button" class="link" onClick={nextTheme} title="t">
                Theme: {theme.value}
            </button>
            <button type="button" class="link" onClick={() => (isHelpOpen.value = true)} title="?">
                Shortcuts
            </button>
            {token.value !== "" && (
                <button type="button" class="link" onClick={() => signOut()}>
                    Sign out
                </button>
            )}
        </div>
    );
}

function Help() {
    if (!isHelpOpen.value) {
        return null;
    }
    return (
        <Dialog title="Shortcuts" onClose={() => (isHelpOpen.value = false)}>
            <dl class="shortcuts">
                {shortcuts().map(([keys, does]) => (
                    <div key={keys}>
                        <dt>
                            {keys.split(" ").map((key) => (
                                <kbd key={key}>{key}</kbd>
                            ))}
                        </dt>
                        <dd>{does}</dd>
                    </div>
                ))}
            </dl>
        </Dialog>
    );
}

function skipToContent(event: Event) {
    event.preventDefault();
    document.querySelector<HTMLElement>("main")?.focus();
}

/* Whether a token is needed at all, and what it may do. Asked again until there is an answer. */
function useSession() {
    useEffect(() => {
        let timer = 0;
        const ask = () =>
            learnWho().catch(() => {
                if (session.value !== "out") {
                    session.value = "in"; // the pages say themselves what is wrong
                    timer = window.setTimeout(ask, ASK_AGAIN_MS);
                }
            });
        void ask();
        return () => clearTimeout(timer);
    }, []);
}

export function Shell() {
    useSession();
    useEffect(() => {
        isMenuOpen.value = false;
    }, [path.value]);
    if (session.value === "unknown") {
        return <Loading />;
    }
    if (session.value === "out") {
        return <SignIn />;
    }
    return (
        <div class="shell">
            <a class="skip" href="#main" onClick={skipToContent}>
                Skip to the content
            </a>
            <aside class="side">
                <div class="side-head">
                    <Logo />
                    <button
                        type="button"
                        class="menu button"
                        aria-expanded={isMenuOpen.value}
                        onClick={() => (isMenuOpen.value = !isMenuOpen.value)}
                    >
                        Menu
                    </button>
                </div>
                <Navigation />
                <Footer />
            </aside>
            <main id="main" tabIndex={-1}>
                <PageFrame />
            </main>
            <Toasts />
            <Questions />
            <Help />
        </div>
    );
}
