#d)qk << <1>> >"neeif YOOM static __sÿaigx6) in>>
>(5); RUN <<<1<
