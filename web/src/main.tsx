/* main: starts the dashboard. */
import { render } from "preact";
import { startKeys } from "./keys";
import { startRouter } from "./router";
import { Shell } from "./shell";
import { startTheme } from "./theme";
import { startTicking } from "./ticking";
import "./style/base.css";
import "./style/shell.css";
import "./style/parts.css";
import "./style/table.css";
import "./style/pages.css";
import "./style/operate.css";

startTheme();
startRouter();
startTicking();
startKeys();
const root = document.getElementById("app");
if (root) {
    render(<Shell />, root);
}
