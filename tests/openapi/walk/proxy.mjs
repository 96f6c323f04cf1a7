/* proxy: a way to the database that can be held up and cut.
 *
 * Rules: (1) what is held up is let go on when the way is open again; what is cut is gone.
 */

import net from "node:net";

export class Proxy {
    pairs = new Set();
    state = "open"; // or "held", "cut"

    /** To a port of 127.0.0.1. */
    static async start(port) {
        const proxy = new Proxy();
        proxy.listener = net.createServer((inside) => proxy.take(inside, port));
        await new Promise((resolve) => proxy.listener.listen(0, "127.0.0.1", resolve));
        proxy.port = proxy.listener.address().port;
        return proxy;
    }

    take(inside, port) {
        if (this.state === "cut") {
            inside.destroy();
            return;
        }
        const outside = net.connect(port, "127.0.0.1");
        const pair = { inside, outside };
        const end = () => {
            inside.destroy();
            outside.destroy();
            this.pairs.delete(pair);
        };
        this.pairs.add(pair);
        for (const socket of [inside, outside]) {
            socket.on("error", end);
            socket.on("close", end);
        }
        if (this.state === "open" || this.passes-- > 0) {
            join(pair);
        }
    }

    /** Lets so many more through. */
    hold(passes) {
        this.passes = passes;
        this.state = "held";
    }

    open() {
        this.state = "open";
        [...this.pairs].filter(({ isJoined }) => !isJoined).forEach(join);
    }

    cut() {
        this.state = "cut";
        this.pairs.forEach(({ inside }) => inside.destroy());
    }

    stop() {
        this.cut();
        this.listener.close();
    }
}

function join(pair) {
    const { inside, outside } = pair;
    pair.isJoined = true;
    inside.pipe(outside);
    outside.pipe(inside);
}
