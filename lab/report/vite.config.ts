// SPDX-License-Identifier: MIT
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";
import { licences } from "./licences";

// One page with everything in it, which the command embeds: the report, or advice.
export default defineConfig(({ mode }) => ({
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), licences()],
  build: {
    target: "es2022",
    chunkSizeWarningLimit: 1000,
    emptyOutDir: false,
    rollupOptions: { input: mode === "advice" ? "advice.html" : "index.html" },
  },
}));
