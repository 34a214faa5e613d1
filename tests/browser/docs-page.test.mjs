// A person opens /docs, publishes a conversation with the example that is there, and sees it stored.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

let folder, server, browser, base;

async function until(what, check) {
  for (let i = 0; i < 300; i++) {
    if (check()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what} did not happen within 15 s`);
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "reflexio-browser-"));
  const ready = join(folder, "ready");
  const data = join(folder, "data");
  server = spawn(process.env.REFLEXIO_BIN, ["serve", "--port", "0", "--data-dir", data, "--ready-file", ready], {
    stdio: "inherit",
    env: { ...process.env, REFLEXIO_API_KEY: "" },
  });
  await until("the server's start", () => existsSync(ready) && readFileSync(ready, "utf8").trim());
  base = readFileSync(ready, "utf8").trim();
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"],
  });
});

after(async () => {
  await browser?.close();
  server?.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
});

test("the API page works without any other host and can publish", async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1400 } });
  const elsewhere = [];
  const errors = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(base) && !request.url().startsWith("data:")) elsewhere.push(request.url());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(`${base}/docs/`);
  const operation = page.locator("#operations-interactions-publish_interaction");
  await operation.locator(".opblock-summary").click();
  await operation.locator("textarea.body-param__text").waitFor();
  await operation.locator("button.execute").click();
  const status = operation.locator(".live-responses-table tbody .response-col_status").first();
  await status.waitFor();
  assert.match(await status.innerText(), /^200/);
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
  assert.deepEqual(elsewhere, [], "the page must not load anything from elsewhere");
  assert.deepEqual(errors, []);
  const stats = await (await fetch(`${base}/api/storage_stats`)).json();
  assert.equal(stats.interaction_count, 3);
});

test("every documented operation is on the page", async () => {
  const page = await browser.newPage();
  await page.goto(`${base}/docs/`);
  await page.locator(".opblock").first().waitFor();
  const document = await (await fetch(`${base}/openapi.json`)).json();
  const documented = Object.values(document.paths).flatMap((path) => Object.keys(path)).length;
  assert.equal(await page.locator(".opblock").count(), documented);
});
